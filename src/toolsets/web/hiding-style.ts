/** Finds what hides text from people in an inline style: a page that says something only to machines says nothing (FAULTS S1). */
export const hidingStyle =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$|!)|font-size\s*:\s*0(?:px|em|rem|pt|%)?\s*(?:;|$|!))/i;
