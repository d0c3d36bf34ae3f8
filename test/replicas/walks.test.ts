import { stageReplicas } from './stage.ts';
import { walks } from './walks.ts';

walks('a shared store', () => stageReplicas(3));
