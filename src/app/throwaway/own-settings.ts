/** Settings that a throwaway server chooses itself, so that no test ever changes data that someone needs. */
export const OWN_SETTINGS: readonly string[] = [
  'port',
  'host',
  'data',
  'databaseUrl',
  'objects',
  'adminName',
  'adminPassword',
];
