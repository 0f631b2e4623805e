// What imports need of milestones.

export { validMilestone } from './rules.ts';
export {
  countIssuesAgain as countInMilestonesAgain,
  type ImportedMilestone,
  insertImportedMilestones,
} from './store.ts';
