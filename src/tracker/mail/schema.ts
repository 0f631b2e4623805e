import { type Static, Type } from 'typebox';

const Level = Type.Union([Type.Literal('all'), Type.Literal('own'), Type.Literal('none')], {
  description:
    '`all`: every notification; `own`: of issues and pull requests that you have written, that are assigned to you, that mention you or that you review; `none`',
});

export const MailSettingsSchema = Type.Object(
  {
    notifications: Level,
    address: Type.String({ description: 'where mail goes: your primary address' }),
    enabled: Type.Boolean({ description: 'whether this server sends mail' }),
  },
  { $id: 'MailSettings', 'x-quire': true },
);
export type MailSettingsRecord = Static<typeof MailSettingsSchema>;

export const EditMailSettingsBody = Type.Object(
  { notifications: Level },
  { $id: 'EditMailSettingsOption', 'x-quire': true },
);
