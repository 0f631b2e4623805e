import { answerInThread } from '../../base/core/threads/in-thread.ts';
import { renderParts } from './render/render.ts';

answerInThread(renderParts);
