import { Catalogue } from './catalogue.ts';
import type { LabelTemplate } from './model.ts';

function label(name: string, color: string, description: string): LabelTemplate {
  return { name, color, description, isExclusive: false };
}

function exclusive(name: string, color: string, description: string): LabelTemplate {
  return { name, color, description, isExclusive: true };
}

const DEFAULT = [
  label('bug', 'ee0701', 'Something does not work'),
  label('duplicate', 'cccccc', 'There is another one of this already'),
  label('enhancement', '84b6eb', 'Something new, or something better'),
  label('help wanted', '128a0c', 'Whoever can help is welcome'),
  label('invalid', 'e6e6e6', 'There is something wrong with this'),
  label('question', 'cc317c', 'More has to be known first'),
  label('wontfix', 'ffffff', 'This will stay as it is'),
];

const ADVANCED = [
  label('Kind/Bug', 'ee0701', 'Something does not work'),
  label('Kind/Feature', '0288d1', 'Something new'),
  label('Kind/Enhancement', '84b6eb', 'Something that is there becomes better'),
  label('Kind/Security', '9c27b0', 'This concerns security'),
  label('Kind/Testing', '795548', 'This concerns tests'),
  label('Kind/Documentation', '37474f', 'This concerns documentation'),
  label('Compat/Breaking', 'c62828', 'What relies on this will have to change'),
  exclusive('Reviewed/Duplicate', '616161', 'There is another one of this already'),
  exclusive('Reviewed/Invalid', '546e7a', 'There is something wrong with this'),
  exclusive('Reviewed/Confirmed', '795548', 'Somebody else has seen this, too'),
  exclusive("Reviewed/Won't Fix", 'eeeeee', 'This will stay as it is'),
  exclusive('Status/Need More Info', '424242', 'This cannot be judged without knowing more'),
  exclusive('Status/Blocked', '880e4f', 'Something else has to be done first'),
  exclusive('Status/Abandoned', '222222', 'Nobody works on this any more'),
  exclusive('Priority/Critical', 'b71c1c', 'Before everything else'),
  exclusive('Priority/High', 'd32f2f', 'Soon'),
  exclusive('Priority/Medium', 'e64a19', 'In its turn'),
  exclusive('Priority/Low', '4caf50', 'When there is nothing else'),
];

const SETS: ReadonlyMap<string, readonly LabelTemplate[]> = new Map([
  ['Default', DEFAULT],
  ['Advanced', ADVANCED],
]);

export const LABEL_SETS = new Catalogue([...SETS.keys()]);

/** @param name one of `LABEL_SETS` */
export function labelsOf(name: string): readonly LabelTemplate[] {
  return SETS.get(name) ?? [];
}
