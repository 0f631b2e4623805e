import type { Addresses, App } from '../../http/app.ts';
import type { ContentsReader } from '../contents/read.ts';
import { editorConfigRoutes } from './routes.ts';
import { EditorConfigs } from './service.ts';

export function createEditorConfig(dependencies: { reading: ContentsReader; addresses: Addresses }) {
  const { addresses } = dependencies;
  const editorConfigs = new EditorConfigs(dependencies);
  return {
    services: { editorConfigs },
    routes: { api: (app: App) => editorConfigRoutes(app, { editorConfigs, addresses }) },
  };
}
