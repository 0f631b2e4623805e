const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/**
 * Parses a duration such as `8h0m0s`, `90m` or `1.5h`.
 *
 * @returns milliseconds; undefined for any other text
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (text.length > 50 || !/^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)];
  const sum = parts.reduce((ms, [, number, unit = '']) => ms + Number(number) * (UNITS_MS[unit] ?? 0), 0);
  return Number.isSafeInteger(Math.round(sum)) ? Math.round(sum) : undefined;
}

/** Formats a duration in whole seconds, such as `8h0m0s`, `10m0s` or `0s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
