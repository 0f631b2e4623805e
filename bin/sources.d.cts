declare const sources: {
  readonly STAMP: string;
  readonly STATES: string;
  hashOfSources(root: string): string;
  statesOfSources(root: string): string;
  isBuildCurrent(root: string): boolean;
};
export = sources;
