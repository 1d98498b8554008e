import { answerParent } from '../worker/answer-parent.ts';
import { runInQuickJs, type JavaScriptJob } from './run-in-quickjs.ts';

// Code of a model runs in a process that can be stopped; what it costs outside its engine is bounded there.
answerParent((input) => runInQuickJs(input as JavaScriptJob));
