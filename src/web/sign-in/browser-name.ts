/** Programs in the order in which to look for them: most browsers also name others. */
const PROGRAMS = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** Returns a short name of a browser for its user, such as `Firefox on Linux`, by what the browser says of itself. */
export function browserName(userAgent: string): string {
  const nameIn = (table: readonly (readonly [RegExp, string])[]) =>
    table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const program = nameIn(PROGRAMS);
  const system = nameIn(SYSTEMS);
  if (program === undefined) return userAgent.split(/[\s/]/)[0] || 'Unknown browser';
  return system === undefined ? program : `${program} on ${system}`;
}
