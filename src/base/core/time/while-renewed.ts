/**
 * Does work that may take hours. Regularly renews the reservation without which its result would be removed during the
 * work.
 *
 * @param renew may fail; the work must check at its end whether its result still exists
 */
export async function whileRenewed<T>(
  { everyMs, renew }: { readonly everyMs: number; readonly renew: () => Promise<unknown> },
  work: () => Promise<T>,
): Promise<T> {
  const timer = setInterval(() => void renew().catch(() => {}), everyMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
