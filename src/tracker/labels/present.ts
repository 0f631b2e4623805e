import type { Static } from 'typebox';
import { answerOf } from '../../api/operations/answers.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import type { LabelOwnerName, OwnedLabel } from './model.ts';
import { LabelSchema } from './schema.ts';

export function presentLabel(label: OwnedLabel, addresses: Addresses): Static<typeof LabelSchema> {
  return {
    id: label.id,
    name: label.name,
    exclusive: label.isExclusive,
    is_archived: label.isArchived,
    color: label.color,
    description: label.description,
    url: `${ownerUrl(label.owner, addresses)}/labels/${label.id}`,
  };
}

function ownerUrl(owner: LabelOwnerName, addresses: Addresses): string {
  if (owner.kind === 'repository') return repositoryAddresses(owner.repository, addresses).url;
  return `${addresses.apiRoot}/orgs/${encodeURIComponent(owner.organization.name)}`;
}

export const LabelAnswer = answerOf(LabelSchema, (label: OwnedLabel, _viewer, addresses) =>
  presentLabel(label, addresses),
);
