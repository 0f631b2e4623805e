import { type Static, Type } from 'typebox';
import { reference } from '../../http/shapes.ts';

export const TopicOptionsBody = Type.Object(
  { topics: Type.Array(Type.String()) },
  { $id: 'RepoTopicOptions' },
);

const TopicNamesSchema = Type.Object({ topics: Type.Array(Type.String()) }, { $id: 'TopicName' });
export const TopicNames = reference(TopicNamesSchema);

export const TopicSchema = Type.Object(
  {
    id: Type.Integer(),
    topic_name: Type.String(),
    repo_count: Type.Integer(),
    created: Type.String({ format: 'date-time' }),
    updated: Type.String({ format: 'date-time' }),
  },
  { $id: 'TopicResponse' },
);
export type TopicRecord = Static<typeof TopicSchema>;

export const FoundTopicsSchema = Type.Object({ topics: Type.Array(reference(TopicSchema)) });
