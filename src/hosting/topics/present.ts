import { answerOf } from '../../api/operations/answers.ts';
import { wireTime } from '../../http/time.ts';
import type { Topic } from './model.ts';
import { type TopicRecord, TopicSchema } from './schema.ts';

export function presentTopic(topic: Topic): TopicRecord {
  return {
    id: topic.id,
    topic_name: topic.name,
    repo_count: topic.repositoriesCount,
    created: wireTime(topic.createdAt),
    updated: wireTime(topic.updatedAt),
  };
}

export const TopicAnswer = answerOf(TopicSchema, presentTopic);
