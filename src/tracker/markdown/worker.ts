import { answerInThread } from '../../base/core/in-thread.ts';
import { renderParts } from './render/render.ts';

answerInThread(renderParts);
