/** Returns a number of things, such as `1 commit` or `1,204 commits`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : several}`;
}

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Returns a size for people, such as `3.2 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
