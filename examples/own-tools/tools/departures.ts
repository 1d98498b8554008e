export const departures: Readonly<Record<string, readonly string[]>> = {
  Lisbon: ['08:09', '08:39', '09:09', '09:39'],
  Porto: ['08:22', '09:22'],
};
