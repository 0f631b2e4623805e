/** Returns the CPU time that this process has used, in ms. Other processes hardly affect it. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
