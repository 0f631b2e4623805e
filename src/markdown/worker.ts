import { answerInThread } from '../core/in-thread.ts';
import { renderParts } from './render/render.ts';

answerInThread(renderParts);
