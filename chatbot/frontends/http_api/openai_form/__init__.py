"""The API in the form of OpenAI's, for programs that know that one."""
