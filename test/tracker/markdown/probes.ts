import { MARKDOWN } from '../../../src/tracker/markdown/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const TEXT = { json: { Text: '# Title' } };

export const PROBES: FeatureProbes = {
  others: [
    {
      label: 'render Markdown',
      method: 'POST',
      url: '/api/v1/markdown',
      action: MARKDOWN.render,
      sent: TEXT,
    },
    {
      label: 'render raw Markdown',
      method: 'POST',
      url: '/api/v1/markdown/raw',
      action: MARKDOWN.render,
      sent: TEXT,
    },
    {
      label: 'render by the kind of a text',
      method: 'POST',
      url: '/api/v1/markup',
      action: MARKDOWN.render,
      sent: TEXT,
    },
  ],
};
