/** Matches inline styles that hide text from people: text meant only for machines is ignored (FAULTS S1). */
export const hidingStyle =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$|!)|font-size\s*:\s*0(?:px|em|rem|pt|%)?\s*(?:;|$|!))/i;
