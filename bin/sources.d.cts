declare const sources: {
  readonly STAMP: string;
  hashOfSources(root: string): string;
  isBuildCurrent(root: string): boolean;
};
export = sources;
