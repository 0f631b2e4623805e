export const TOPIC_LIMITS = {
  topicCharsMax: 35,
  topicsPerRepositoryMax: 25,
} as const;
