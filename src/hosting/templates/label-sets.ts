import { Catalog } from './catalog.ts';
import type { LabelTemplate } from './model.ts';

function label(name: string, color: string, description: string): LabelTemplate {
  return { name, color, description, isExclusive: false };
}

function exclusive(name: string, color: string, description: string): LabelTemplate {
  return { name, color, description, isExclusive: true };
}

const DEFAULT = [
  label('bug', 'ee0701', 'Something does not work'),
  label('duplicate', 'cccccc', 'This exists already'),
  label('enhancement', '84b6eb', 'A new feature or an improvement'),
  label('help wanted', '128a0c', 'Contributions are welcome'),
  label('invalid', 'e6e6e6', 'This is wrong or incomplete'),
  label('question', 'cc317c', 'More information is needed'),
  label('wontfix', 'ffffff', 'This will not change'),
];

const ADVANCED = [
  label('Kind/Bug', 'ee0701', 'Something does not work'),
  label('Kind/Feature', '0288d1', 'A new feature'),
  label('Kind/Enhancement', '84b6eb', 'An improvement'),
  label('Kind/Security', '9c27b0', 'This concerns security'),
  label('Kind/Testing', '795548', 'This concerns tests'),
  label('Kind/Documentation', '37474f', 'This concerns documentation'),
  label('Compat/Breaking', 'c62828', 'Code that depends on this must change'),
  exclusive('Reviewed/Duplicate', '616161', 'This exists already'),
  exclusive('Reviewed/Invalid', '546e7a', 'This is wrong or incomplete'),
  exclusive('Reviewed/Confirmed', '795548', 'A second person has seen this, too'),
  exclusive("Reviewed/Won't Fix", 'eeeeee', 'This will not change'),
  exclusive('Status/Need More Info', '424242', 'More information is needed'),
  exclusive('Status/Blocked', '880e4f', 'Other work must be done first'),
  exclusive('Status/Abandoned', '222222', 'Work on this has stopped'),
  exclusive('Priority/Critical', 'b71c1c', 'Before everything else'),
  exclusive('Priority/High', 'd32f2f', 'Soon'),
  exclusive('Priority/Medium', 'e64a19', 'Later'),
  exclusive('Priority/Low', '4caf50', 'When nothing else is left to do'),
];

const SETS: ReadonlyMap<string, readonly LabelTemplate[]> = new Map([
  ['Default', DEFAULT],
  ['Advanced', ADVANCED],
]);

export const LABEL_SETS = new Catalog([...SETS.keys()]);

/**
 * Returns the labels of a set.
 *
 * @param name one of `LABEL_SETS`
 */
export function labelsOf(name: string): readonly LabelTemplate[] {
  return SETS.get(name) ?? [];
}
