import { runtimeContract } from '../contracts/runtime-contract.ts';
import { TestCluster } from './cluster.ts';

runtimeContract('Restate', async () => {
  const cluster = await TestCluster.start(2);
  return {
    engine: cluster.engine,
    journal: cluster.journal,
    get did() {
      return cluster.did;
    },
    crash: async (run) => {
      const { pid } = cluster.did.findLast((line) => line.runId === run.id) ?? {};
      const worker = cluster.workers.find((each) => each.pid === pid) ?? cluster.workers.find(({ killed }) => !killed);
      worker?.kill('SIGKILL');
      await cluster.startWorker();
      return run;
    },
    close: async () => await cluster[Symbol.asyncDispose](),
  };
});
