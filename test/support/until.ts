const UNTIL_MS_MAX = 30_000;
const UNTIL_STEP_MS = 10;

/** Looks again and again until `look` finds something, for what tells nobody when it happens. */
export async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const giveUpAt = performance.now() + UNTIL_MS_MAX;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > giveUpAt) throw new Error(`${what}: not in time`);
    await new Promise((resolve) => setTimeout(resolve, UNTIL_STEP_MS));
  }
}
