import { answerParent } from '../worker/answer-parent.ts';
import type { ChartJob } from './chart-job.ts';
import { drawChart } from './draw-chart.ts';

// A spec can ask for an unlimited amount of work, and native code makes the pictures.
answerParent((input) => drawChart(input as ChartJob));
