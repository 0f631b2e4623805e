import { answerOf } from '../../api/operations/answers.ts';
import type { MailPreference } from './model.ts';
import { type MailSettingsRecord, MailSettingsSchema } from './schema.ts';

export const MailSettingsAnswer = answerOf(
  MailSettingsSchema,
  ({ level, address, isOn }: MailPreference): MailSettingsRecord => ({
    notifications: level,
    address,
    enabled: isOn,
  }),
);
