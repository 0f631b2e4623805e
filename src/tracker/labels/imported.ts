// What imports need of labels.

export { validLabel } from './rules.ts';
export {
  countIssuesAgain as countLabeledAgain,
  type ImportedLabel,
  insertImportedLabels,
} from './store.ts';
