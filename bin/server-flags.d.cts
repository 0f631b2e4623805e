declare const serverFlags: { flagsOf(version: string): string[] };
export = serverFlags;
