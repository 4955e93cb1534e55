/** Installs missing packages that the benchmark needs and the service does not. Has no dependencies itself. */
import { installPackages } from '../scripts/packages.mjs';

installPackages(import.meta.dirname);
