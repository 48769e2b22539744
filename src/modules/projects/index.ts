export { Project } from './project.entity.js';
export { ProjectsModule } from './projects.module.js';
export { ProjectsRepository } from './projects.repository.js';
