/** The type of profiles that are only inherited from; what they lack may come from those that inherit. */
export const baseType = 'base';
