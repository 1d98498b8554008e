import { answerJob } from '../worker/answer-job.ts';
import { runInQuickJs, type JavaScriptJob } from './run-in-quickjs.ts';

// Code of a model runs on a thread that can be stopped, and does not block the main thread.
void answerJob((input) => runInQuickJs(input as JavaScriptJob));
