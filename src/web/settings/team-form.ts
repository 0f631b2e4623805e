import type { FastifyRequest } from 'fastify';
import { UNITS, type Unit } from '../../api/access/levels.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import type { Team } from '../../people/teams/model.ts';
import { unitWord } from '../../people/teams/options.ts';
import { checkbox, selectField, textField } from '../parts/fields.ts';
import { selectHtml } from '../parts/search-form.ts';

/** Parts of a repository, in words. Others have no function here. */
const WORDS: Partial<Readonly<Record<Unit, string>>> = {
  code: 'Code',
  issues: 'Issues',
  pulls: 'Pull requests',
  releases: 'Releases',
  wiki: 'Wiki',
};
const SHOWN = UNITS.filter((unit) => WORDS[unit] !== undefined);
const LEVELS = [
  ['none', 'No access'],
  ['read', 'Read'],
  ['write', 'Write'],
] as const;

/** Returns the form of a team as the body of the API. @param known the team, whose other units stay */
export function sentTeam(request: FastifyRequest, known?: Team) {
  const isAdmin = isChecked(request, 'admin');
  const sent = SHOWN.map((unit) => [unitWord(unit), isAdmin ? 'admin' : fieldOf(request, `unit-${unit}`)]);
  const others = UNITS.filter((unit) => WORDS[unit] === undefined).flatMap((unit) => {
    const level = known?.units.get(unit);
    return level === undefined ? [] : [[unitWord(unit), level]];
  });
  const units: Record<string, string> = Object.fromEntries([...others, ...sent]);
  return {
    name: fieldOf(request, 'name').trim(),
    description: fieldOf(request, 'description').trim(),
    permission: isAdmin ? 'admin' : 'read',
    includes_all_repositories: fieldOf(request, 'repositories') === 'all',
    can_create_org_repo: isChecked(request, 'can_create_org_repo'),
    units: Object.keys(units),
    units_map: units,
  };
}

/** Returns the fields of a team: what was typed, or else what it has. */
export function teamFields(request: FastifyRequest, team: Team | undefined): Html {
  const isSent = request.method === 'POST' && fieldOf(request, 'repositories') !== '';
  const levelOf = (unit: Unit) =>
    isSent
      ? fieldOf(request, `unit-${unit}`)
      : (team?.units.get(unit) ?? (team === undefined ? 'read' : 'none'));
  const rows = SHOWN.map(
    (unit) =>
      html`<tr><th scope="row">${WORDS[unit] ?? unit}</th><td><label><span class="sr-only">${WORDS[unit] ?? unit}</span>${selectHtml(`unit-${unit}`, levelOf(unit) === 'admin' ? 'write' : levelOf(unit), LEVELS)}</label></td></tr>
`,
  );
  return html`${textField({ name: 'name', label: 'Name', value: isSent ? fieldOf(request, 'name') : (team?.name ?? ''), isRequired: true })}${textField({ name: 'description', label: 'Description', value: isSent ? fieldOf(request, 'description') : (team?.description ?? '') })}${selectField(
    {
      name: 'repositories',
      label: 'Repositories',
      value: isSent
        ? fieldOf(request, 'repositories')
        : team?.includesAllRepositories === true
          ? 'all'
          : 'some',
      options: [
        ['some', 'Those that are added to the team'],
        ['all', 'All of the organization'],
      ],
    },
  )}<fieldset><legend>In these repositories</legend><table class="list scopes"><tbody>${rows}</tbody></table>${checkbox({ name: 'admin', label: 'Administrate them', hint: 'The choices above have no effect then.', isChecked: isSent ? isChecked(request, 'admin') : team?.level === 'admin' })}</fieldset>
${checkbox({ name: 'can_create_org_repo', label: 'Create repositories', isChecked: isSent ? isChecked(request, 'can_create_org_repo') : team?.canCreateRepositories === true })}`;
}
