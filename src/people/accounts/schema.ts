import { type Static, Type } from 'typebox';
import { reference } from '../../http/shapes.ts';
import { ACCOUNT_LIMITS } from './limits.ts';

const Time = Type.String({ format: 'date-time' });
const ProfileField = Type.Optional(Type.String({ maxLength: ACCOUNT_LIMITS.profileFieldCharsMax }));
const Flag = Type.Optional(Type.Boolean());

export const UserSchema = Type.Object(
  {
    id: Type.Integer(),
    login: Type.String(),
    login_name: Type.String(),
    source_id: Type.Integer(),
    full_name: Type.String(),
    email: Type.String(),
    avatar_url: Type.String(),
    html_url: Type.String(),
    language: Type.String(),
    is_admin: Type.Boolean(),
    last_login: Time,
    created: Time,
    restricted: Type.Boolean(),
    active: Type.Boolean(),
    prohibit_login: Type.Boolean(),
    location: Type.String(),
    pronouns: Type.String(),
    website: Type.String(),
    description: Type.String(),
    visibility: Type.String(),
    followers_count: Type.Integer(),
    following_count: Type.Integer(),
    starred_repos_count: Type.Integer(),
    username: Type.String(),
  },
  { $id: 'User' },
);
export type UserRecord = Static<typeof UserSchema>;

/** Name in an external directory, and the directory's id. The server does not support directories. */
const SOURCE = { login_name: Type.Optional(Type.String()), source_id: Type.Optional(Type.Integer()) };

export const CreateUserBody = Type.Object(
  {
    username: Type.String(),
    email: Type.String(),
    password: Type.Optional(Type.String()),
    full_name: ProfileField,
    visibility: Type.Optional(Type.String()),
    restricted: Flag,
    must_change_password: Flag,
    created_at: Type.Optional(Time),
    ...SOURCE,
    /** Ignored: administrators hand a password over themselves, or invite the user by mail. */
    send_notify: Flag,
  },
  { $id: 'CreateUserOption' },
);
export type CreateUser = Static<typeof CreateUserBody>;

export const EditUserBody = Type.Object(
  {
    email: Type.Optional(Type.String()),
    password: Type.Optional(Type.String()),
    full_name: ProfileField,
    website: ProfileField,
    location: ProfileField,
    description: ProfileField,
    pronouns: ProfileField,
    visibility: Type.Optional(Type.String()),
    hide_email: Flag,
    admin: Flag,
    active: Flag,
    prohibit_login: Flag,
    restricted: Flag,
    must_change_password: Flag,
    allow_create_organization: Flag,
    ...SOURCE,
    /** Not supported: git hooks, and imports from the server's disk. */
    allow_git_hook: Flag,
    allow_import_local: Flag,
    max_repo_creation: Type.Optional(Type.Integer()),
  },
  { $id: 'EditUserOption' },
);
export type EditUser = Static<typeof EditUserBody>;

export const RenameUserBody = Type.Object({ new_username: Type.String() }, { $id: 'RenameUserOption' });

export const AccountListQuery = {
  q: Type.Optional(Type.String()),
  sort: Type.Optional(Type.String()),
};

/** Parameters about directories and second factors, which the server does not support. */
export const SourceQuery = {
  source_id: Type.Optional(Type.Integer()),
  login_name: Type.Optional(Type.String()),
  is_2fa_enabled: Type.Optional(Type.Boolean()),
};

export const UserIdQuery = { uid: Type.Optional(Type.Integer()) };

export const UserSearchSchema = Type.Object({ ok: Type.Boolean(), data: Type.Array(reference(UserSchema)) });

const SETTINGS = {
  full_name: Type.String(),
  website: Type.String(),
  description: Type.String(),
  location: Type.String(),
  pronouns: Type.String(),
  language: Type.String(),
  theme: Type.String(),
  diff_view_style: Type.String(),
  enable_repo_unit_hints: Type.Boolean(),
  hide_email: Type.Boolean(),
  hide_pronouns: Type.Boolean(),
  hide_activity: Type.Boolean(),
};

export const UserSettingsSchema = Type.Object(SETTINGS, { $id: 'UserSettings' });
export type UserSettings = Static<typeof UserSettingsSchema>;

export const EditUserSettingsBody = Type.Object(
  {
    full_name: ProfileField,
    website: ProfileField,
    description: ProfileField,
    location: ProfileField,
    pronouns: ProfileField,
    language: ProfileField,
    theme: ProfileField,
    diff_view_style: ProfileField,
    enable_repo_unit_hints: Flag,
    hide_email: Flag,
    hide_pronouns: Flag,
    hide_activity: Flag,
  },
  { $id: 'UserSettingsOptions' },
);
export type EditUserSettings = Static<typeof EditUserSettingsBody>;

export const EmailSchema = Type.Object(
  {
    email: Type.String(),
    primary: Type.Boolean(),
    verified: Type.Boolean(),
    user_id: Type.Integer(),
    username: Type.String(),
  },
  { $id: 'Email' },
);
export type EmailRecord = Static<typeof EmailSchema>;

const Emails = Type.Optional(Type.Array(Type.String(), { maxItems: ACCOUNT_LIMITS.emailsPerAccountMax }));
export const AddEmailsBody = Type.Object({ emails: Emails }, { $id: 'CreateEmailOption' });
export const RemoveEmailsBody = Type.Object({ emails: Emails }, { $id: 'DeleteEmailOption' });
