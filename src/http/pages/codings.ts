/**
 * Whether a client takes a response in a coding, by its header `Accept-Encoding`.
 *
 * @see RFC 9110, section 12.5.3
 */
export function accepts(header: string | undefined, coding: 'br' | 'gzip'): boolean {
  const found = (header ?? '').split(',').find((part) => part.trim().split(';')[0]?.trim() === coding);
  return found !== undefined && !/;\s*q=0(?:\.0*)?\s*$/.test(found);
}
