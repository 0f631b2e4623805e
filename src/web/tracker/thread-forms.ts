import { Type } from 'typebox';
import { invalid } from '../../base/core/failure.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { App } from '../../http/app.ts';
import { fieldOf, fieldsOf, isChecked } from '../../http/pages/forms.ts';
import { ISSUE } from '../../tracker/issues/actions.ts';
import { anchorOf } from '../../tracker/issues/discussion/comments/present.ts';
import type { Reactions } from '../../tracker/issues/discussion/reactions/service.ts';
import { ISSUE_SUBSCRIPTION } from '../../tracker/issues/discussion/subscriptions/actions.ts';
import type { Subscriptions } from '../../tracker/issues/discussion/subscriptions/service.ts';
import { dueTimeOf } from '../../tracker/issues/options.ts';
import { DEPENDENCY } from '../../tracker/issues/planning/dependencies/actions.ts';
import type { Dependencies as IssueDependencies } from '../../tracker/issues/planning/dependencies/service.ts';
import type { IssueLabels } from '../../tracker/issues/planning/labels/service.ts';
import type { IssueMarks } from '../../tracker/issues/planning/marks/service.ts';
import { TIME } from '../../tracker/issues/planning/times/actions.ts';
import type { TimeServices } from './parts/times-box.ts';
import { issuePath } from './parts/view.ts';
import { changeThread, type ThreadCall, type ThreadPages } from './thread-change.ts';

interface Dependencies extends ThreadPages, TimeServices {
  readonly issueLabels: IssueLabels;
  readonly marks: IssueMarks;
  readonly reactions: Reactions;
  readonly subscriptions: Subscriptions;
  readonly dependencies: IssueDependencies;
}

const Params = Type.Object({ owner: Type.String(), repo: Type.String(), number: Type.String() });
const schema = { params: Params };
const ANY = (): void => {};

/** Registers the small forms beside a thread: labels, assignees, marks, reactions. */
export function threadForms(app: App, dependencies: Dependencies): void {
  planningForms(app, dependencies);
  markForms(app, dependencies);
  ownForms(app, dependencies);
  dependencyForms(app, dependencies);
  timeForms(app, dependencies);
}

function planningForms(app: App, dependencies: Dependencies): void {
  const { issues, issueLabels, marks } = dependencies;
  const config = { action: ISSUE.manage, isForm: true } as const;
  app.post('/:owner/:repo/issues/:number/labels', { config, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run({ viewer, path }) {
        const ids = fieldsOf(request, 'label').map((text) => requiredId(text, 'a label'));
        await issueLabels.replace(viewer, { path }, ids);
        return undefined;
      },
    }),
  );
  app.post('/:owner/:repo/issues/:number/assignees', { config, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run({ viewer, path }) {
        const assignees = fieldsOf(request, 'assignee');
        await issues.edit(viewer, path, { assignees }, { action: ISSUE.manage });
        return undefined;
      },
    }),
  );
  app.post('/:owner/:repo/issues/:number/milestone', { config, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run({ viewer, path }) {
        const text = fieldOf(request, 'milestone');
        const milestone = text === '' ? null : requiredId(text, 'a milestone');
        await issues.edit(viewer, path, { milestone }, { action: ISSUE.manage });
        return undefined;
      },
    }),
  );
  app.post('/:owner/:repo/issues/:number/deadline', { config, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run({ viewer, path }) {
        await marks.setDueDate(viewer, path, dayOf(fieldOf(request, 'deadline')), ANY);
        return undefined;
      },
    }),
  );
}

/** @throws ForgeError `invalid` */
function requiredId(text: string, what: string): number {
  const id = parseId(text);
  if (id === undefined) throw invalid(`choose ${what} of the list`);
  return id;
}

/** Reads the day of a field; '' means none. @throws ForgeError `malformed`, `invalid` */
export function dayOf(text: string): number | null {
  if (text === '') return null;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) throw invalid('write a day as year-month-day, such as 2030-01-31');
  return dueTimeOf(`${text}T23:59:59Z`);
}

function markForms(app: App, dependencies: Dependencies): void {
  const { marks } = dependencies;
  const config = { action: ISSUE.manage, isForm: true } as const;
  app.post('/:owner/:repo/issues/:number/lock', { config, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run({ viewer, path }) {
        await marks.lock(viewer, path, fieldOf(request, 'reason'), ANY);
        return undefined;
      },
    }),
  );
  app.post('/:owner/:repo/issues/:number/unlock', { config, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run({ viewer, path }) {
        await marks.unlock(viewer, path, ANY);
        return undefined;
      },
    }),
  );
  const pinning = { action: ISSUE.pin, isForm: true } as const;
  app.post('/:owner/:repo/issues/:number/pin', { config: pinning, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run({ viewer, path }) {
        await marks.pin(viewer, path, ANY);
        return undefined;
      },
    }),
  );
  app.post('/:owner/:repo/issues/:number/unpin', { config: pinning, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run({ viewer, path }) {
        await marks.unpin(viewer, path, ANY);
        return undefined;
      },
    }),
  );
}

/** What people do for themselves. */
function ownForms(app: App, dependencies: Dependencies): void {
  const { reactions, subscriptions } = dependencies;
  app.post(
    '/:owner/:repo/issues/:number/reactions',
    { config: { action: ISSUE.comment, isForm: true }, schema },
    (request, reply) =>
      changeThread(request, reply, dependencies, {
        async run(call) {
          const { viewer, path, issue } = call;
          const comment = fieldOf(request, 'comment');
          const id = requiredCommentId(comment);
          const at =
            id === undefined
              ? ({ on: 'issue', path } as const)
              : ({ on: 'comment', path: { ...path, id } } as const);
          const undone = fieldOf(request, 'undo');
          if (undone === '') await reactions.add(viewer, at, fieldOf(request, 'content'));
          else await reactions.remove(viewer, at, undone);
          return `${issuePath(issue)}#${id === undefined ? `issue-${issue.id}` : anchorOf(id)}`;
        },
      }),
  );
  app.post(
    '/:owner/:repo/issues/:number/watch',
    { config: { action: ISSUE_SUBSCRIPTION.change, isForm: true }, schema },
    (request, reply) =>
      changeThread(request, reply, dependencies, {
        async run({ viewer, path }) {
          const isWatching = isChecked(request, 'watch') && fieldOf(request, 'watch') !== '0';
          await subscriptions.set(viewer, path, viewer.name, isWatching);
          return undefined;
        },
      }),
  );
}

/** @throws ForgeError `invalid` */
function requiredCommentId(text: string): number | undefined {
  return text === '' ? undefined : requiredId(text, 'a comment');
}

function dependencyForms(app: App, dependencies: Dependencies): void {
  const config = { action: DEPENDENCY.change, isForm: true } as const;
  app.post('/:owner/:repo/issues/:number/dependencies', { config, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run(call) {
        await dependencies.dependencies.add(call.viewer, linkingOf(call), undefined);
        return undefined;
      },
    }),
  );
  app.post('/:owner/:repo/issues/:number/dependencies/delete', { config, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run(call) {
        await dependencies.dependencies.remove(call.viewer, linkingOf(call), undefined);
        return undefined;
      },
    }),
  );
}

const OTHER = /^(?:([^/#\s]+)\/([^/#\s]+))?#?(\d+)$/;

/** @throws ForgeError `invalid` */
function linkingOf({ request, path }: ThreadCall) {
  const [, owner, name, number] = OTHER.exec(fieldOf(request, 'other').trim()) ?? [];
  if (number === undefined) throw invalid('name the other issue by its number, such as 12 or ada/engine#12');
  const repository = owner === undefined || name === undefined ? path.repository : { owner, name };
  return { path, direction: 'dependencies', other: { repository, number } } as const;
}

function timeForms(app: App, dependencies: Dependencies): void {
  const { times, stopwatches } = dependencies;
  const config = { action: TIME.change, isForm: true } as const;
  app.post('/:owner/:repo/issues/:number/times', { config, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run({ viewer, path }) {
        const minutes = countIn(fieldOf(request, 'hours')) * 60 + countIn(fieldOf(request, 'minutes'));
        await times.add(viewer, path, { seconds: minutes * 60 }, undefined);
        return undefined;
      },
    }),
  );
  app.post('/:owner/:repo/issues/:number/times/delete', { config, schema }, (request, reply) =>
    changeThread(request, reply, dependencies, {
      async run({ viewer, path }) {
        await times.delete(viewer, path, requiredId(fieldOf(request, 'time'), 'a time'), undefined);
        return undefined;
      },
    }),
  );
  app.post(
    '/:owner/:repo/issues/:number/stopwatch',
    { config: { action: TIME.watch, isForm: true }, schema },
    (request, reply) =>
      changeThread(request, reply, dependencies, {
        async run({ viewer, path }) {
          const wanted = fieldOf(request, 'watch');
          if (wanted === 'start') await stopwatches.start(viewer, path);
          else if (wanted === 'cancel') await stopwatches.cancel(viewer, path);
          else await stopwatches.stop(viewer, path);
          return undefined;
        },
      }),
  );
}

/** Reads a number of hours or minutes; '' is 0. @throws ForgeError `invalid` */
function countIn(text: string): number {
  if (!/^\d{0,5}$/.test(text)) throw invalid('write hours and minutes as numbers');
  return Number(text);
}
