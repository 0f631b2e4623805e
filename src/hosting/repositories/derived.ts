// Facts about a repository that other features compute and its own rows hold. Only this feature writes those rows.

export {
  addToCounts as changeCounts,
  type RepositoryCounts,
  setAbout as keepAbout,
  setLastIssueNumber as keepLastIssueNumber,
  setMainLanguage as keepMainLanguage,
  setTopics as keepTopics,
  takeAccountFromCounts as uncountAccount,
  takeIssueNumber,
} from './store/derived.ts';
export { setSizeBytes as keepSizeBytes } from './store/push-state.ts';
export {
  type Source,
  setMirrorError as keepMirrorError,
  setMirrorUpdated as keepMirrorUpdated,
  setSource as keepSource,
} from './store/sources.ts';
