import { answerParent } from '../worker/answer-parent.ts';
import type { ChartJob } from './chart-job.ts';
import { drawChart } from './draw-chart.ts';

// A spec can ask for more work than anyone has time for, and pictures are made by native code.
answerParent((input) => drawChart(input as ChartJob));
