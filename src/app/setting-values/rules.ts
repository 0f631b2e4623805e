import { SITE_UNITS, type SiteUnit } from '../../hosting/repositories/site-rules.ts';
import { REQUIRED_OF, type SecondFactorSettings } from '../../people/second-factor/model.ts';
import { ConfigError } from '../config-error.ts';
import { SETTINGS } from '../settings.ts';

// Rules of the operator that are one name out of several.

/** @throws ConfigError */
export function requiredOf(text: string): SecondFactorSettings['requiredOf'] {
  const found = REQUIRED_OF.find((name) => name === text);
  if (found !== undefined) return found;
  const { flag, variable } = SETTINGS.requireSecondFactor;
  throw new ConfigError(`--${flag} (${variable}) must be ${REQUIRED_OF.join(', ')}, not ${text}`);
}

/** @throws ConfigError */
export function siteUnitOf(text: string): SiteUnit {
  const unit = SITE_UNITS.find((name) => name === text);
  if (unit !== undefined) return unit;
  throw new ConfigError(`unknown unit ${text} to disable: choose from ${SITE_UNITS.join(', ')}`);
}
