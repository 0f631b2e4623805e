import { answerOf } from '../../api/operations/answers.ts';
import { wireTime } from '../../http/time.ts';
import type { ApplicationFields, CreatedApplication, OAuthApplication } from './model.ts';
import { type ApplicationRecord, ApplicationSchema, type SentApplication } from './schema.ts';

function presentApplication(application: OAuthApplication | CreatedApplication): ApplicationRecord {
  return {
    id: application.id,
    name: application.name,
    client_id: application.clientId,
    client_secret: 'secret' in application ? application.secret : '',
    redirect_uris: [...application.redirectUris],
    confidential_client: application.isConfidential,
    skip_secondary_authorization: application.skipsConsent,
    created: wireTime(application.createdAt),
  };
}

export const ApplicationAnswer = answerOf(ApplicationSchema, presentApplication);

export function applicationFieldsOf(body: SentApplication): ApplicationFields {
  return {
    name: body.name,
    redirectUris: body.redirect_uris,
    isConfidential: body.confidential_client,
    skipsConsent: body.skip_secondary_authorization,
  };
}
