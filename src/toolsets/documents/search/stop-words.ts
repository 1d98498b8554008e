/** English words without a topic; a query of nothing else keeps them. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about after all also am an and any anybody anyone anything are as at be because been before being between both but by
  can cannot could did difference differences do does doing done down during each either else ever every explain few for from further get gets getting
  give given had happen happens has have having he her here hers him his how however i if in into is it its itself just kind let like
  make makes making many may me might mine more most much must my neither no nor not now of off on once one only or other
  our ours out over own please possible rather same shall she should show so some somebody someone something such tell than
  that the their theirs them then there these they thing things this those through to too under until up upon us use
  used uses using very want wants was way ways we were what when where whether which while who whom whose why will with
  within without work works working would yes yet you your yours`.split(/\s+/),
);
