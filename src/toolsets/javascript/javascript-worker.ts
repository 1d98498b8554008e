import { answerJob } from '../worker/answer-job.ts';
import { runInQuickJs, type JavaScriptJob } from './run-in-quickjs.ts';

// Code of a model is run on a thread that can be stopped, and keeps the engine's own from nothing.
void answerJob((input) => runInQuickJs(input as JavaScriptJob));
