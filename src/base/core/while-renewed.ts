/**
 * Does work that may take hours, and renews now and then what keeps its result from being removed meanwhile.
 *
 * @param renew may fail: the work must notice at its end what it has lost
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
