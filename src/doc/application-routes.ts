/** The description of the application's routes, made from its controllers when the first document is requested. */
import { Injectable, type INestApplication } from '@nestjs/common';
import { describeApplication, type Application } from './openapi/application.js';

@Injectable()
export class ApplicationRoutes {
  #app: INestApplication | undefined;
  #described: Application | undefined;

  /** Called once, when the application has been created. */
  describe(app: INestApplication): void {
    this.#app = app;
  }

  get described(): Application {
    if (!this.#app) throw new Error('there is no application to describe');
    return (this.#described ??= describeApplication(this.#app));
  }
}
