import { reader, type AutoRunReader } from './auto-run-reader.ts';

/** Auto-run files that services read when a commit is pushed, or a repository is opened there. */
export const services: readonly AutoRunReader[] = [
  reader('GitHub Actions', 'when a commit is pushed', '.github/workflows .github/actions .gitea/workflows .forgejo/workflows'),
  reader('GitLab CI', 'when a commit is pushed', '.gitlab-ci.yml .gitlab-ci.yaml .gitlab-ci'),
  reader('Circle CI, Travis CI or Cirrus CI', 'when a commit is pushed', '.circleci .travis.yml .cirrus.*'),
  reader('Azure Pipelines', 'when a commit is pushed', 'azure-pipelines*.yml azure-pipelines*.yaml .azure-pipelines .azuredevops'),
  reader('Jenkins', 'when a commit is pushed', 'jenkinsfile jenkinsfile.* *.jenkinsfile'),
  reader(
    'Bitbucket, Buildkite, Drone or Woodpecker',
    'when a commit is pushed',
    'bitbucket-pipelines.yml .buildkite .drone.* .woodpecker*',
  ),
  reader(
    'AppVeyor, Semaphore or TeamCity',
    'when a commit is pushed',
    'appveyor.yml .appveyor.yml .semaphore .teamcity .builds .build.yml',
  ),
  reader(
    'Cloud Build, CodeBuild or Tekton',
    'when a commit is pushed',
    'cloudbuild.yaml cloudbuild.yml cloudbuild.json buildspec.yml buildspec.yaml .tekton',
  ),
  reader(
    'other services',
    'when a commit is pushed',
    '.readthedocs.* netlify.toml .taskcluster.yml .packit.* .zuul.* zuul.d .onedev-buildspec.yml codemagic.yaml bitrise.yml',
  ),
  reader('Gitpod', 'when the repository is opened', '.gitpod.yml .gitpod.dockerfile'),
];
