import type { Static } from 'typebox';
import { answerOf } from '../../api/operations/answers.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import type { HomeName, LabelAtHome } from './model.ts';
import { LabelSchema } from './schema.ts';

export function presentLabel(label: LabelAtHome, addresses: Addresses): Static<typeof LabelSchema> {
  return {
    id: label.id,
    name: label.name,
    exclusive: label.isExclusive,
    is_archived: label.isArchived,
    color: label.color,
    description: label.description,
    url: `${homeUrl(label.home, addresses)}/labels/${label.id}`,
  };
}

function homeUrl(home: HomeName, addresses: Addresses): string {
  if (home.kind === 'repository') return repositoryAddresses(home.repository, addresses).url;
  return `${addresses.apiRoot}/orgs/${encodeURIComponent(home.organization.name)}`;
}

export const LabelAnswer = answerOf(LabelSchema, (label: LabelAtHome, _viewer, addresses) =>
  presentLabel(label, addresses),
);
