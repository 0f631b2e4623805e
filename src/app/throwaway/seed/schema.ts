import { type Static, type TSchema, Type } from 'typebox';
import type { Seed } from './model.ts';

const STRICT = { additionalProperties: false } as const;
const { Optional } = Type;
const Text = Type.String();
const Name = Type.String({ minLength: 1 });
const Names = Type.Array(Name);
const Flag = Type.Boolean();
const ByName = <Value extends TSchema>(value: Value) => Type.Record(Type.String(), value);
const Words = <const All extends readonly string[]>(...words: All) =>
  Type.Unsafe<All[number]>(Type.Union(words.map((word) => Type.Literal(word))));

const Visibility = Words('public', 'limited', 'private');
const Level = Words('read', 'write', 'admin');

const Label = Type.Object(
  { name: Name, color: Text, description: Optional(Text), exclusive: Optional(Flag) },
  STRICT,
);

const User = Type.Object(
  {
    name: Name,
    password: Optional(Name),
    email: Optional(Name),
    full_name: Optional(Text),
    admin: Optional(Flag),
    restricted: Optional(Flag),
    visibility: Optional(Visibility),
    tokens: Optional(Type.Array(Type.Object({ name: Name, scopes: Optional(Names) }, STRICT))),
    keys: Optional(Names),
  },
  STRICT,
);

const Team = Type.Object(
  {
    name: Name,
    description: Optional(Text),
    permission: Optional(Level),
    units_map: Optional(ByName(Text)),
    can_create_org_repo: Optional(Flag),
    includes_all_repositories: Optional(Flag),
    members: Optional(Names),
    repositories: Optional(Names),
  },
  STRICT,
);

const Organization = Type.Object(
  {
    name: Name,
    owner: Optional(Name),
    full_name: Optional(Text),
    description: Optional(Text),
    visibility: Optional(Visibility),
    labels: Optional(Type.Array(Label)),
    teams: Optional(Type.Array(Team)),
  },
  STRICT,
);

const Files = ByName(Type.Union([Text, Type.Object({ base64: Text }, STRICT), Type.Null()]));

const Commit = Type.Object(
  {
    files: Files,
    branch: Optional(Name),
    from: Optional(Name),
    message: Optional(Name),
    author: Optional(Name),
    date: Optional(Text),
  },
  STRICT,
);

const Milestone = Type.Object(
  {
    title: Name,
    description: Optional(Text),
    due_on: Optional(Text),
    state: Optional(Words('open', 'closed')),
  },
  STRICT,
);

const SUBJECT = {
  title: Name,
  body: Optional(Text),
  author: Optional(Name),
  labels: Optional(Names),
  assignees: Optional(Names),
  milestone: Optional(Name),
  due_date: Optional(Text),
  comments: Optional(Type.Array(Type.Object({ body: Name, author: Optional(Name) }, STRICT))),
};

const Issue = Type.Object({ ...SUBJECT, state: Optional(Words('open', 'closed')) }, STRICT);

const Review = Type.Object(
  { author: Name, event: Words('APPROVED', 'REQUEST_CHANGES', 'COMMENT'), body: Optional(Text) },
  STRICT,
);

const PullRequest = Type.Object(
  {
    ...SUBJECT,
    head: Name,
    base: Optional(Name),
    reviewers: Optional(Names),
    reviews: Optional(Type.Array(Review)),
    state: Optional(Words('open', 'closed', 'merged')),
  },
  STRICT,
);

const Protection = Type.Object(
  {
    rule_name: Name,
    push: Optional(Names),
    required_approvals: Optional(Type.Integer({ minimum: 0 })),
    status_checks: Optional(Names),
  },
  STRICT,
);

const Repository = Type.Object(
  {
    name: Type.String({ pattern: '^[^/]+/[^/]+$' }),
    description: Optional(Text),
    private: Optional(Flag),
    template: Optional(Flag),
    archived: Optional(Flag),
    default_branch: Optional(Name),
    topics: Optional(Names),
    collaborators: Optional(ByName(Level)),
    files: Optional(Files),
    commits: Optional(Type.Array(Commit)),
    branches: Optional(ByName(Name)),
    tags: Optional(ByName(Type.Union([Name, Type.Object({ target: Name, message: Name }, STRICT)]))),
    labels: Optional(Type.Array(Label)),
    milestones: Optional(Type.Array(Milestone)),
    issues: Optional(Type.Array(Issue)),
    pull_requests: Optional(Type.Array(PullRequest)),
    branch_protections: Optional(Type.Array(Protection)),
  },
  STRICT,
);

export const SEED = Type.Object(
  {
    made_at: Optional(Text),
    clock: Optional(
      Type.Object(
        {
          set: Optional(Text),
          advance: Optional(Type.Union([Type.Number(), Text])),
          freeze: Optional(Flag),
        },
        STRICT,
      ),
    ),
    users: Optional(Type.Array(User)),
    organizations: Optional(Type.Array(Organization)),
    repositories: Optional(Type.Array(Repository)),
  },
  STRICT,
);

type Read<T> = T extends readonly (infer Item)[]
  ? readonly Read<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Read<T[Key]> }
    : T;
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;

/** The declared type, which programs can use without this schema, has the same members. */
export const IS_DECLARED: Same<Read<Seed>, Read<Static<typeof SEED>>> = true;
