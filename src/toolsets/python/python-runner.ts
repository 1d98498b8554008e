/**
 * Python program that runs the code of a file as a notebook would: all of it, then prints the value of its last expression. The code sees
 * a plain `__main__`; tracebacks begin in it. The workspace is last in the module search path, so that a file in it cannot shadow a
 * module of Python.
 */
export const pythonRunner = `
import ast, linecache, os, sys, traceback
def run(path):
    with open(path, encoding="utf-8") as file:
        source = file.read()
    name = "<code>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    sys.argv = [name]
    sys.path.append(os.getcwd())
    scope = {"__name__": "__main__", "__builtins__": __builtins__, "__doc__": None}
    try:
        tree = ast.parse(source, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), scope)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), scope)
            if value is not None:
                print(repr(value))
    except Exception as error:
        sys.stdout.flush()
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != name:
            trace = trace.tb_next
        traceback.print_exception(type(error), error, trace)
        return 1
    return 0
sys.exit(run(sys.argv[1]))
`;
