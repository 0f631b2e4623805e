declare const nodeVersion: { problemOf(version: string): string | null };
export = nodeVersion;
