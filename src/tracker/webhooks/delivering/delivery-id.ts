import { hash } from 'node:crypto';

/**
 * Returns the id of a delivery: the same for each attempt, also after the process has died between an attempt and its
 * record. A receiver that remembers ids handles each delivery once.
 *
 * @param hookKey random key of the webhook
 * @param of position of the event, and which of its deliveries
 * @see RFC 9562, section 5.8
 */
export function deliveryId(
  hookKey: string,
  of: { readonly position: number; readonly part: number },
): string {
  const hex = hash('sha256', `delivery ${hookKey} ${of.position} ${of.part}`);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
